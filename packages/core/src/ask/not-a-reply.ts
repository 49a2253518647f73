import { CapstanError } from '../words/error.js'
import type { Loose } from './loose.js'

/** For a JSON body that neither answers nor says why not. */
export function withoutChoices(body: Loose, text: string): CapstanError {
  const fields = Object.keys(body)
  const what = fields.length === 0 ? 'an empty object' : `only ${fields.slice(0, 10).join(', ')}`
  const message = `The model server answered without choices: it sent ${what}. Is baseURL that of a chat completions server?`
  return new CapstanError('invalid_response', message, {
    retryable: true,
    evidence: { excerpt: text.slice(0, 200) },
  })
}

/** For what should have been JSON. */
export function malformed(what: string, text: string): CapstanError {
  const excerpt = text.trim().slice(0, 200)
  // A page comes from another kind of server; asked again, it would send the page again.
  const isPage = /^<(!doctype|html|head|body)/i.test(excerpt)
  const advice = isPage ? ' That is a web page: check baseURL.' : ''
  const message = `The model server sent no valid JSON in ${what}${excerpt === '' ? '' : `: ${excerpt}`}.${advice} Nothing was run.`
  return new CapstanError('invalid_response', message, { retryable: !isPage, evidence: { excerpt } })
}
