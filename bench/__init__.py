"""Benchmarks of Retinue and Agno AgentOS: requests a second, latency, CPU time and memory."""
