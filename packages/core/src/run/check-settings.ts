import { CapstanError } from '../words/error.js'

/** Refuses request fields that the agent writes itself. @throws CapstanError `invalid_request` */
export function checkSettings(settings: Readonly<Record<string, unknown>> = {}): void {
  const taken = ['model', 'messages', 'tools', 'tool_choice', 'stream'].find((name) =>
    Object.hasOwn(settings, name),
  )
  if (taken === undefined) return
  const message = `settings.${taken} is written by the agent itself. Use its own options for it.`
  throw new CapstanError('invalid_request', message, { evidence: { field: taken } })
}
