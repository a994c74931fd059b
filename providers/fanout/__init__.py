"""Several accounts of one region as one provider.

bindings   what has to last: which slot of which account an id stands for, and which are fixed
slots      the same in memory, with the slots that are free; chooses the account; pure
sight      what is alike, and how an account's machines look from outside; pure
rests      accounts that refused are left alone for a while; pure
cursor     the cursors of all accounts in one text
provider   the port over all of it
"""
