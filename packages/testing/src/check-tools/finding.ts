/** How bad it is: an error is refused by a server or makes a tool useless, a warning costs wrong calls, an info is worth a look. */
export type FindingLevel = 'error' | 'warning' | 'info'

/** One thing that is wrong with a list of tools. */
export interface ToolFinding {
  readonly level: FindingLevel
  /** The rule's name; each has a page in the documentation. */
  readonly rule: string
  /** The tool's name; absent where it is the list. */
  readonly tool?: string
  /** The place in its parameters, as `address.street` or `tags[]`; absent where it is the whole tool. */
  readonly path?: string
  /** What was found. */
  readonly message: string
  /** What to do. */
  readonly fix: string
}

/** What `checkTools` found. */
export interface ToolReport {
  /** The worst first, then by tool. */
  readonly findings: readonly ToolFinding[]
  /** About how many tokens the list costs in every request. */
  readonly tokens: number
  /** Whether there is no error among the findings. */
  readonly ok: boolean
}
