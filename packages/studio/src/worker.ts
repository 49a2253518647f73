// Entry for the worker process that loads an agent file: serves its agents to the studio.

export {}
