"""The loops that need speed, as numba compiles them.

Everything here but `codes` imports numba, so nobody imports it but the compiler: who needs a loop takes its kernel
(`odds.kernels`), which is machine code. A change of any file here makes all kernels anew.
"""
