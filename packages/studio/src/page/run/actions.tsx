import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import { api } from '../api/client.js'
import type { RunView } from '../api/run-view.js'
import { attempt } from '../api/state.js'
import { askAgain } from '../chat/chat-state.js'
import type { RunNode } from '../model/run-nodes.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icons.js'
import { ExportAction } from '../runs/export-action.js'
import { CheckAction, CompareAction, ForkAction } from '../runs/run-actions.js'
import type { Key } from '../shell/keys.js'

interface RunActionProps {
  readonly run: RunSummary
  readonly view: RunView
}

/** The buttons above a run's timeline, in this order. */
export const runActions: readonly ComponentType<RunActionProps>[] = [
  AskAgain,
  Continue,
  Stop,
  CompareAction,
  CheckAction,
  ExportAction,
  Pin,
  Explain,
]

/** The buttons at the top of the selected row's details, in this order. */
export const rowActions: readonly ComponentType<RunActionProps & { readonly node: RunNode }>[] = [ForkAction]

/** Returns the keyboard shortcuts for actions on a run. */
export function keysOfRun(run: RunSummary): Key[] {
  return [
    { key: 'r', does: 'rerun', run: () => void askAgain(run) },
    { key: 'p', does: run.isPinned ? 'unpin' : 'pin', run: () => void pin(run) },
    { key: 's', does: 'stop', run: () => void attempt(() => api.stop(run.id)) },
  ]
}

function pin({ id, isPinned }: RunSummary): Promise<unknown> {
  return attempt(() => api.changeRun(id, { isPinned: !isPinned }))
}

function AskAgain({ run }: RunActionProps) {
  if (run.kind !== 'run') return null
  return (
    <button type="button" disabled={run.status === 'running'} onClick={() => void askAgain(run)}>
      <Icon name="again" />
      Rerun
    </button>
  )
}

/**
 * A button that continues a run that ended at a limit, failed, was stopped or was lost. Renders nothing for other runs.
 */
function Continue({ run }: RunActionProps) {
  const canContinue =
    run.status === 'lost' ||
    run.stopReason === 'limit' ||
    run.stopReason === 'aborted' ||
    run.status === 'failed'
  if (!canContinue || run.kind !== 'run') return null
  return (
    <button type="button" onClick={() => void attempt(() => api.resume(run.id))}>
      Continue
    </button>
  )
}

function Stop({ run }: RunActionProps) {
  if (run.status !== 'running') return null
  return (
    <button type="button" onClick={() => void attempt(() => api.stop(run.id))}>
      <Icon name="stop" />
      Stop
    </button>
  )
}

function Pin({ run }: RunActionProps) {
  return (
    <button type="button" aria-pressed={run.isPinned === true} onClick={() => void pin(run)}>
      <Icon name="pin" />
      {run.isPinned ? 'Pinned' : 'Pin'}
    </button>
  )
}

function Explain({ run }: RunActionProps) {
  const [text, setText] = useState<string>()
  return (
    <>
      <button type="button" onClick={async () => setText(await attempt(() => api.explain(run.id)))}>
        Explain
      </button>
      {text === undefined ? null : (
        <Dialog title="The run, step by step" onClose={() => setText(undefined)}>
          <pre class="code" tabIndex={0}>
            {text}
          </pre>
        </Dialog>
      )}
    </>
  )
}
