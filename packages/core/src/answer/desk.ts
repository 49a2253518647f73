import type { Toolset } from '../tool/toolset.js'
import type { ArtifactStore } from '../words/artifact.js'
import type { Emit } from '../words/event.js'
import type { PolicyView } from '../words/policy.js'
import type { Guards } from './approve.js'
import type { CallOrder } from './call-order.js'
import type { Purse } from './purse.js'
import type { ErrorSettings } from './tool-errors.js'
import type { Slots } from './with-slots.js'

/** What answering calls needs, the same for all calls of a turn. */
export interface Desk extends ErrorSettings {
  readonly toolset: Toolset
  readonly context: unknown
  readonly artifacts: ArtifactStore
  readonly slots: Slots
  readonly order: CallOrder
  readonly purse: Purse
  readonly guards: Guards
  /** What policies are told of the run. */
  readonly view: PolicyView
  readonly runId: string
  readonly step: number
  /** Whether arguments may be read as the schema means them. */
  readonly repair: boolean
  /** Deadline of calls whose tool has none of its own. */
  readonly timeoutMs?: number | undefined
  /** The untrusted source of an artifact's text, if it has one. */
  untrustedSource(id: string): Promise<string | undefined>
  readonly emit: Emit
}
