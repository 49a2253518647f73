import type { AnyRunResult, RunEvent } from '@capstan/core'
import type { HttpError } from './http-error.js'

/** A run in the parts of a protocol: one object for each event of its stream. */
export interface Encoder<Part extends object = object> {
  first(): readonly Part[]
  event(event: RunEvent): readonly Part[]
  end(result: AnyRunResult): readonly Part[]
  failed(error: HttpError): readonly Part[]
}
