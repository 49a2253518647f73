import type { RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import type { TypedEvent } from '@capstan/protocols/reply'
import { type StreamEvent, toEvent as toPlainEvent } from '@capstan/protocols/sse'
import type { HttpError } from './http-error.js'
import type { EndedRun } from './runs/record.js'

/** Formats a server-sent event. Never throws: values that JSON cannot represent are replaced by text. */
export function toEvent({ data, ...event }: StreamEvent): string {
  return toPlainEvent({ ...event, data: typeof data === 'string' ? data : toJsonText(data) })
}

/** Formats a server-sent event that is named after the type of its data. */
export function toTypedEvent(data: TypedEvent): string {
  return toEvent({ event: data.type, data })
}

/** Converts a run's events to the parts of a protocol's stream. */
export interface Encoder<Part extends object = object> {
  first(): readonly Part[]
  event(event: RunEvent): readonly Part[]
  end(result: EndedRun): readonly Part[]
  failed(error: HttpError): readonly Part[]
}
