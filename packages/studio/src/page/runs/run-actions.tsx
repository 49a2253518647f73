// Actions on a kept run: compare it with another run, check it against its recording, and fork it.
import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import { api, type CheckAnswer, messageOf } from '../api/client.js'
import type { RootNode, RunNode } from '../model/run-nodes.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icons.js'
import { JsonView } from '../parts/json-view.js'
import { toAddress } from '../shell/route.js'
import { isMarked, markToCompare, markWords } from './compare-mark.js'

interface ActionProps {
  readonly run: RunSummary
}

export function CompareAction({ run }: ActionProps) {
  return (
    <button type="button" aria-pressed={isMarked(run.id)} onClick={() => markToCompare(run.id)}>
      {markWords(run.id)}
    </button>
  )
}

export function CheckAction({ run }: ActionProps) {
  const [isOpen, setOpen] = useState(false)
  if (run.kind !== 'run') return null
  return (
    <>
      <button type="button" disabled={run.status === 'running'} onClick={() => setOpen(true)}>
        Check
      </button>
      {isOpen && <CheckDialog run={run} onClose={() => setOpen(false)} />}
    </>
  )
}

/** A dialog that runs the current file with the recorded replies and shows the first difference. */
function CheckDialog({ run, onClose }: ActionProps & { readonly onClose: () => void }) {
  const [tools, setTools] = useState<'recorded' | 'run'>('recorded')
  const [answer, setAnswer] = useState<CheckAnswer | { readonly problem: string }>()
  useEffect(() => {
    let isCurrent = true
    setAnswer(undefined)
    api.check(run.id, tools).then(
      (found) => isCurrent && setAnswer(found),
      (error) => isCurrent && setAnswer({ problem: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [run.id, tools])
  return (
    <Dialog title="Compare with the recording" onClose={onClose}>
      <p class="soft">The current file is run again with the recorded replies. No model is called.</p>
      <label class="check">
        <input
          type="checkbox"
          checked={tools === 'run'}
          onChange={(event) => setTools(event.currentTarget.checked ? 'run' : 'recorded')}
        />
        Run the tools again
      </label>
      <div role="status">{answer === undefined ? <p>Checking …</p> : <CheckResult answer={answer} />}</div>
    </Dialog>
  )
}

function CheckResult({ answer }: { readonly answer: CheckAnswer | { readonly problem: string } }) {
  if ('problem' in answer) return <p class="bad">✗ {answer.problem}</p>
  if (answer.same) return <p class="good">✓ Same: the agent behaves as recorded.</p>
  return (
    <>
      <p class="bad check-words">✗ {answer.message}</p>
      {answer.at !== undefined && (
        <p class="soft">
          at <code>{answer.at}</code>
        </p>
      )}
      {(answer.expected !== undefined || answer.seen !== undefined) && (
        <div class="two-columns">
          <section aria-label="Recorded">
            <h3>Recorded</h3>
            <JsonView value={answer.expected} depth={4} />
          </section>
          <section aria-label="Now">
            <h3>Now</h3>
            <JsonView value={answer.seen} depth={4} />
          </section>
        </div>
      )}
    </>
  )
}

/** A link that opens the fork editor at the row's step. */
export function ForkAction({ run, node }: ActionProps & { readonly node: RunNode }) {
  let step: RunNode | RootNode | undefined = node
  while (step && !(step.kind === 'step' && step.checkpoint !== undefined)) step = step.parent
  if (step?.kind !== 'step' || run.kind !== 'run') return null
  return (
    <a class="button" href={toAddress(['runs', run.id, 'fork'], { at: String(step.checkpoint) })}>
      <Icon name="fork" />
      Fork before step {step.step}
    </a>
  )
}
