import type { AnyRunResult, RunEvent } from '@capstan/core'
import type { HttpError } from './http-error.js'

/** A run in the parts of a protocol: one object for each event of its stream. */
export interface Encoder {
  first(): readonly object[]
  event(event: RunEvent): readonly object[]
  end(result: AnyRunResult): readonly object[]
  failed(error: HttpError): readonly object[]
}
