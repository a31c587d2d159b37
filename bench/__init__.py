"""Measures Retinue beside Agno AgentOS: requests a second, latencies, CPU time and memory."""
