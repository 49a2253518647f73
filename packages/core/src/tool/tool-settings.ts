import type { PolicyView } from '../words/policy.js'

/** How a tool is run, besides its function. */
export interface ToolSettings<Args = unknown> {
  /** Deadline of one call in milliseconds, from when its function starts. Default: none. */
  readonly timeoutMs?: number
  /** Calls of this tool at one time, over all runs. Default: no bound of its own. */
  readonly concurrency?: number
  /** Calls of this tool that may start within any stretch of `intervalMs` milliseconds, over all runs. Default: no bound. */
  readonly rate?: Rate
  /**
   * What calls change: `'read'` says nothing, a function names what a call writes. Calls that write the same run one
   * after another, in call order. Default: not known; they run side by side.
   */
  readonly effects?: 'read' | ((args: Args) => string)
  /** Whether a call waits for a yes of the caller, or a function that decides it. Default false. */
  readonly needsApproval?: boolean | ((args: Args, view: PolicyView) => boolean | Promise<boolean>)
  /**
   * Whether results may hold words of strangers, as a web page does: once the model has read one, calls of tools
   * that are not known to read only wait for approval. Default false.
   */
  readonly untrusted?: boolean
  /** Whether a result is the run's answer, as it stands: the model is not asked again. Default false. */
  readonly returnDirect?: boolean
  /** Whether pictures it returns are shown to the model, one that sees, in the next request. Default false: it reads references. */
  readonly show?: boolean
  /** Bytes of a result that the model reads whole: of a longer one it reads the ends, and can page through the rest. Default 64 KiB. */
  readonly maxResultBytes?: number
  /** Calls in a row with arguments that do not fit, or of a cut answer, before the run ends as stuck. Default 3. */
  readonly maxRejections?: number
  /** Asks the server to hold the model to the schema. Default false. */
  readonly strict?: boolean
}

export interface Rate {
  readonly calls: number
  readonly intervalMs: number
}
