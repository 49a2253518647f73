/** What the environment holds under names that secrets have, and the passwords in its addresses. */
export function environmentSecrets(): readonly string[] {
  const variables = Object.entries(globalThis.process?.env ?? {})
  return variables.flatMap(([name, value = '']) => [
    ...passwordsIn(value),
    ...(isSecret(name, value) ? [value] : []),
  ])
}

function isSecret(name: string, value: string): boolean {
  if (value.length < 8 || !names.test(name) || isAbout.test(name)) return false
  return !isOrdinary.test(value) && (passwords.test(name) || !/^[\d.]+$/.test(value))
}

const names =
  /key|token|secret|passw|passphrase|(?:^|_|db|my|pg)pass(?:$|_)|[^_]_pwd$|credential|auth(?!or)|private|cookie|dsn|connection_?string/i

/** A number under such a name is no length and no time. */
const passwords = /secret|passw|(?:^|_|db|my|pg)pass(?:$|_)|_pwd$/i

/** What a secret is for, or of which kind it is. */
const isAbout = /_(?:algorithm|domain|host|method|mode|name|port|provider|region|type)$/i

/** Paths, switches, and addresses of which only the password is a secret. */
const isOrdinary =
  /^(?:(?:~|\.{1,2}|[a-z]:)?[\\/](?:\.?[a-z][a-z\d._-]*|[A-Z][a-z]+|\.\.)(?:[\\/]|$)|[A-Za-z]:\\|true$|false$|(?!https?:)[a-z][a-z\d+.:-]*:\/\/)/

/** In an address there may be several hosts, so `URL` does not read all. */
function passwordsIn(value: string): readonly string[] {
  const found = [...value.matchAll(/:\/\/[^\s:/?#@]*:([^\s/?#]+)@/g)]
  return found.flatMap(([, password = '']) => [password, decoded(password)])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
