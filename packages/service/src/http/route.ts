import type { Endpoint } from './endpoint.js'
import type { BodyType } from './parse-body.js'
import type { Passage } from './passage.js'

/** What is served at a path: one endpoint and how it is asked. */
export type Route = {
  readonly method: 'GET' | 'POST'
  /** Whether it answers without a key. Default: no. */
  readonly open?: boolean
} & (
  | {
      /** What the body must be; nothing for a GET. */
      readonly takes?: BodyType
      readonly endpoint: Endpoint
    }
  | { readonly passage: Passage }
)

/** Everything that is served. */
export interface Routes {
  readonly find: (path: string) => Route | undefined
  /** The endpoints, for the answer to an unknown path. */
  readonly list: readonly string[]
}
