"""RoPE, RMSNorm and SwiGLU, calculated, shown step by step, and checked."""

__version__ = "0.1.0"
