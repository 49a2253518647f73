export type ParsedArguments =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly reason: string }

/**
 * The arguments a server wrote, as one object. Empty text, white space and `null` mean `{}`. Unambiguous slips
 * are read: the same object twice, `{}` before the object, the object inside one JSON string.
 * Anything else is reported, never repaired: a cut text must not run.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, value: {} }
  const whole = tryParse(text)
  if (whole.ok) return fromValue(whole.value, text)
  const slip = fromTwoObjects(text)
  return slip
    ? { ok: true, value: slip }
    : { ok: false, reason: `${whole.reason}. They began: ${excerpt(text)}` }
}

function fromValue(value: unknown, text: string): ParsedArguments {
  if (value === null) return { ok: true, value: {} }
  if (isObject(value)) return { ok: true, value }
  if (typeof value === 'string') {
    const inner = value.trim() === '' ? { ok: true as const, value: {} } : tryParse(value)
    if (inner.ok && (inner.value === null || isObject(inner.value)))
      return { ok: true, value: inner.value ?? {} }
  }
  const what = Array.isArray(value) ? 'an array' : `a ${typeof value}`
  return { ok: false, reason: `the arguments are ${what}, not one JSON object: ${excerpt(text)}` }
}

/** `{..}{..}` with equal halves is one call said twice; `{}` in front is a gateway's placeholder. */
function fromTwoObjects(text: string): Record<string, unknown> | undefined {
  const rest = text.trim()
  const empty = /^\{\s*\}/.exec(rest)
  if (empty) return onlyObject(rest.slice(empty[0].length))
  const first = rest.slice(0, Math.floor(rest.length / 2)).trimEnd()
  const second = rest.slice(Math.ceil(rest.length / 2)).trimStart()
  return first === second ? onlyObject(first) : undefined
}

function onlyObject(text: string): Record<string, unknown> | undefined {
  const parsed = tryParse(text)
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined
}

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, reason: (error as SyntaxError).message }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function excerpt(text: string): string {
  return text.length <= 200
    ? text
    : `${text.slice(0, 150)} ... ${text.slice(-50)} (${text.length} characters)`
}
