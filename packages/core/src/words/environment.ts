/** An environment variable, where there is an environment; empty counts as not set. */
export function environment(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined
}
