"""The Hilbert curve backwards: the point at a place, over plain integers (Skilling 2004)."""


def point(key, bits, d):
    """Return the coordinates of the place *key* in a cube of side ``2**bits``."""
    x = [0] * d
    for at in range(bits * d):
        if key >> (bits * d - 1 - at) & 1:
            x[at % d] |= 1 << (bits - 1 - at // d)
    turned = x[-1] >> 1
    for i in range(d - 1, 0, -1):
        x[i] ^= x[i - 1]
    x[0] ^= turned
    for bit in range(1, bits):
        below = (1 << bit) - 1
        for i in range(d - 1, -1, -1):
            if x[i] >> bit & 1:
                x[0] ^= below
            else:
                swapped = (x[0] ^ x[i]) & below
                x[0] ^= swapped
                x[i] ^= swapped
    return x
