import type { RunEvent } from '@capstan/core'

/** An event as callers may read it: what the model's server said when it failed is for the house. */
export function toPublicEvent(event: RunEvent): RunEvent {
  if (event.type === 'retry-scheduled' || event.type === 'landing-failed')
    return { ...event, message: event.code }
  return event
}
