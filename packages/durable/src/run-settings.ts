import type { Json, RunState } from '@capstan/core'

/** What is said of a run once, and holds each time that it is gone on with and for the runs within it. */
export interface RunSettings {
  readonly data?: Json
  readonly unattended?: boolean
  readonly allowChangedTools?: boolean
}

/** The options of a run that they are. What has not begun has no open calls that could mean something else by now. */
export function optionsOf(
  { unattended = false, allowChangedTools = false }: RunSettings,
  { turn }: RunState,
): { readonly unattended: boolean; readonly allowChangedTools: boolean } {
  return { unattended, allowChangedTools: allowChangedTools || turn === 0 }
}
