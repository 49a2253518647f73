/** A text without the values of environment variables whose names say that they are secrets. */
export function withoutSecrets(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  let shown = text
  for (const [name, value = ''] of Object.entries(environment).sort(byLength))
    if (secretName.test(name) && value.length >= shortest) shown = shown.replaceAll(value, `(${name})`)
  return shown
}

const secretName = /key|token|secret|passw|credential/i
/** Shorter values are words that stand anywhere. */
const shortest = 8

/** A secret that begins with another one goes first. */
function byLength([, one = '']: Variable, [, other = '']: Variable): number {
  return other.length - one.length
}

type Variable = [name: string, value: string | undefined]
