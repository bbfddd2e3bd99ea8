"""The calculations on whole arrays [..., tokens, width], in float32 and float64, at the speed of memory.

Import from the files: `tables` (cosines and sines), `rotation`, `rms`, `activations`, `gating`. They share
three rules:

- What is read is worked on in blocks that stay in the cache, so no temporary is as large as the input;
  a matrix product is one call.
- float32 stays float32 and float16 comes back as float16, calculated in float32; every other number type is
  calculated in float64. NumPy has no bfloat16: such numbers come as float32, which holds each of them.
- `out=` may be any array of the right shape: strided, of another byte order, or the input itself.

NaN and infinities in the input are carried through, not refused.
"""
