/** What the environment holds under names that secrets have. */
export function environmentSecrets(): readonly string[] {
  const variables = Object.entries(globalThis.process?.env ?? {})
  return variables.flatMap(([name, value = '']) => (isSecret(name, value) ? [value] : loginIn(value)))
}

const names = /key|token|secret|passw|passphrase|credential|auth(?!or)|private|cookie|dsn|connection_?string/i

function isSecret(name: string, value: string): boolean {
  return names.test(name) && value.length >= 8 && !isOrdinary.test(value)
}

/** Paths, numbers and switches. */
const isOrdinary = /^(?:[./~]|[A-Za-z]:\\|[\d.]+$|true$|false$)/

/** The password in an address, such as a database's. */
function loginIn(value: string): readonly string[] {
  if (!value.includes('@') || !URL.canParse(value)) return []
  const { password } = new URL(value)
  return password.length >= 4 ? [value, password, decoded(password)] : []
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
