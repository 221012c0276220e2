"""Numbers in, bounds out: imports numpy and scipy.special, and nothing of surefoot but its errors."""
