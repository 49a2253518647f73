import type { RunView } from '../api/run-view.js'
import type { StepNode } from '../model/run-nodes.js'
import { MarkdownText } from '../parts/markdown-text.js'
import { Media } from '../parts/media.js'

/** Shows a model's reply: its reasoning, its text, and the calls that the model is still writing. */
export function Reply({ step, view }: { readonly step: StepNode; readonly view: RunView }) {
  view.revision.value
  const isComplete = step.repliedAt !== undefined || step.status !== 'running'
  return (
    <>
      {step.reasoning ? (
        <details class="reasoning">
          <summary>Reasoning</summary>
          <div class="words plain-words" dir="auto">
            {step.reasoning}
          </div>
        </details>
      ) : null}
      {step.text ? <MarkdownText text={step.text} isComplete={isComplete} /> : null}
      {step.drafts.map((draft) => (
        <p key={draft.callId} class="draft">
          <b>{draft.name}</b> <code>{draft.arguments}</code>
        </p>
      ))}
      {step.artifacts.map((artifact) => (
        <Media key={artifact.id} artifact={artifact} />
      ))}
      {!isComplete && !step.text && step.drafts.length === 0 ? (
        <p class="soft" aria-hidden="true">
          …
        </p>
      ) : null}
    </>
  )
}
