import type { Status } from '../model/run-nodes.js'
import { statusWords } from '../model/sentences.js'

/** Shows a state as a symbol and a word. Pass `word` to replace the state's usual word. */
export function StateWord({ status, word }: { readonly status: Status; readonly word?: string }) {
  const known = statusWords[status]
  const text = word ?? known.word
  if (!text && !known.sign) return null
  return (
    <span class={`state state-${status}`}>
      {known.sign ? <span aria-hidden="true">{known.sign} </span> : null}
      {text}
    </span>
  )
}
