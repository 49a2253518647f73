import type { RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/wire'

/** What a client is told while a call goes on. */
export interface Progress {
  readonly message: string
  readonly progress?: number
  readonly total?: number
}

/** What an event of a call's run says of its progress. `own` is the name of the tool when that is all there is in the run. */
export function toProgress(event: RunEvent, own: string): Progress | undefined {
  if (event.type === 'tool-progress') return ofValue(event.value, event.name === own ? '' : `${event.name}: `)
  if ((event.type !== 'tool-start' && event.type !== 'tool-end') || event.name === own) return undefined
  const how = event.type === 'tool-start' ? 'started' : event.status === 'ok' ? 'done' : event.status
  return { message: `${event.name}: ${how}` }
}

/** What has the form of a progress of the protocol is one. */
function ofValue(value: unknown, by: string): Progress {
  const { progress, total, message } = Object(value) as Readonly<Record<string, unknown>>
  const said = typeof progress === 'number' ? (message ?? progress) : value
  const text = typeof said === 'object' ? toJsonText(said) : String(said)
  return {
    message: `${by}${text}`.slice(0, maxMessage).toWellFormed(),
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
  }
}

const maxMessage = 1000
