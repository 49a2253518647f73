import { messageOf } from '../words/error.js'

/** Why something failed: `fetch` and clients say no more than "failed", the reason is at the end of the causes. */
export function reasonOf(thrown: unknown): string {
  try {
    return reasonIn(thrown)
  } catch {
    return 'something that cannot be read was thrown'
  }
}

function reasonIn(thrown: unknown): string {
  let last = thrown
  for (let depth = 0; depth < 10; depth++) {
    const { cause } = Object(last) as { cause?: unknown }
    if (cause === undefined || cause === null) break
    last = cause
  }
  const { message, code } = Object(last) as { message?: unknown; code?: unknown }
  const said = message || code === undefined ? messageOf(last).replace(/\.$/, '') : String(code)
  return typeof code !== 'string' || said.includes(code) ? said : `${said} (${code})`
}
