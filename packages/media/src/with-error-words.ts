import { serverWords } from './server-words.js'

/**
 * A fetch whose failed answers all have the form `{ error: { message } }`: the `openai` client reads no other,
 * and the words of a server that says `{ "detail": ... }` or sends a page would be lost.
 */
export function withErrorWords(own: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await own(input, init)
    if (response.ok) return response
    const text = await response.text()
    const headers = new Headers(response.headers)
    headers.set('content-type', 'application/json')
    // An endpoint that is not there will not be there in a second.
    if (response.status === 501) headers.set('x-should-retry', 'false')
    const error = { ...errorFields(text), message: serverWords(text) }
    return new Response(JSON.stringify({ error }), { status: response.status, headers })
  }
}

function errorFields(text: string): object {
  try {
    const { error } = JSON.parse(text)
    return typeof error === 'object' && error !== null ? error : {}
  } catch {
    return {}
  }
}
