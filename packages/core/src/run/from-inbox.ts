import type { RunPlan, Walk } from './walk.js'

/** What waits for the run, taken as one step of a host that records steps, so that a repetition takes the same. */
export function fromInbox(
  { state }: Walk,
  { host, inbox }: RunPlan,
): readonly string[] | Promise<readonly string[]> {
  if (!inbox || (inbox.isEmpty && host.retries === 'core')) return []
  return host.step({
    key: `t${state.turn}/inbox`,
    options: { kind: 'message', name: 'inbox' },
    run: async () => inbox.take(),
  })
}
