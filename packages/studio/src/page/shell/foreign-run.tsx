// Asks the user for permission before anything is started from a run that another studio recorded.
import { signal } from '@preact/signals'
import { whenForeign } from '../api/client.js'
import { runs } from '../api/state.js'
import { Dialog } from '../parts/dialog.js'

interface Question {
  readonly run: string
  readonly answer: (isYes: boolean) => void
}

const question = signal<Question | undefined>(undefined)
whenForeign(
  (run) =>
    new Promise((resolve) => {
      const answer = (isYes: boolean) => {
        question.value = undefined
        resolve(isYes)
      }
      question.value = { run, answer }
    }),
)

export function ForeignRun() {
  const asked = question.value
  if (!asked) return null
  return (
    <Dialog title="This run came from elsewhere" onClose={() => asked.answer(false)}>
      <p>
        A different studio recorded <b>{runs.value.get(asked.run)?.title || asked.run}</b>. If you allow it,
        its text is passed to your file's policies and tools, and to your models.
      </p>
      <p class="line">
        <button type="button" class="main" onClick={() => asked.answer(true)}>
          Allow this run
        </button>
        <button type="button" onClick={() => asked.answer(false)}>
          Cancel
        </button>
      </p>
    </Dialog>
  )
}
