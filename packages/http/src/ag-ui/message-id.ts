/** Names a message by its run, so that no other run's is called alike. */
export function toMessageId(runId: string, name: string): string {
  return `${runId} ${name}`
}

/** The run of a message that was named so. */
export function runOf(messageId: unknown): string | undefined {
  return typeof messageId === 'string' ? /^(\S+) [a-z]/.exec(messageId)?.[1] : undefined
}
