/** Names a question about a call: some models call their calls alike in every run. */
export function toApprovalId(runId: string, callId: string): string {
  return `${runId}:${callId}`
}

/** What it was made of; undefined for what is none. */
export function readApprovalId(id: unknown): { readonly runId: string; readonly callId: string } | undefined {
  const [, runId = '', callId = ''] = typeof id === 'string' ? (/^([^:]+):(.+)$/s.exec(id) ?? []) : []
  return callId === '' ? undefined : { runId, callId }
}
