"""How much of an array is in memory: room that was never written to is not."""

import ctypes
import mmap


def resident(values):
    """Share of the pages of ``values`` that are in memory, from 0 to 1."""
    begin = -(-values.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE
    pages = (values.ctypes.data + values.nbytes - begin) // mmap.PAGESIZE
    there = (ctypes.c_ubyte * pages)()
    assert ctypes.CDLL(None).mincore(ctypes.c_void_p(begin), ctypes.c_size_t(pages * mmap.PAGESIZE), there) == 0
    return sum(page & 1 for page in there) / pages
