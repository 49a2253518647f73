import { isRecord } from '../json.js'

/** In words, with a hyphen between them. */
const secretNames = [
  '^(?:proxy-|http-|x-(?:[a-z]+-)*)?authorization',
  '^(?:set-|http-)?cookie',
  'session-cookie',
  'api-?key',
  '(?:access|api|auth|bearer|bot|csrf|github|gitlab|id|npm|refresh|security|session|slack|vault|xsrf)token',
  // Of pages, of a protocol and of a tokenizer: they open nothing.
  '(?<!(?:^|-)(?:bos|cancellation|completion|continuation|current|cursor|end|eos|first|input|invalid|last|mask|max|min|next|output|pad|page|per|prev|previous|progress|prompt|resumption|sep|special|start|stop|sync|unexpected|unk)-)token',
  '(?:app|client|shared)?secrets?',
  'secret-?(?:access-?)?key',
  'secret-value',
  '(?:access|account|deploy|encryption|master|private|role|shared-?access|signing|ssh|storage)-?key',
  'access-?key-?id',
  // What a page says about passwords is none.
  '(?<!(?:change|forgot|forgotten|hide|invalid|lost|reset|show|wrong)-)passw(?:or)?d',
  'passphrase',
  'passcode',
  '(?:admin|auth|database|db|mail|root|smtp|user)-pass',
  'pwd',
  'otp',
  'jwt',
  'bearer',
  '(?:credential|cred)s?',
  '(?:j|php)?sess(?:ion)?-?id',
  'conn(?:ection)?-?str(?:ing)?',
  'sig',
  // Those of models and of functions are no keys.
  '(?:amz|goog|shared-?access)-?signature',
].join('|')

const isName = new RegExp(`(?:^|(?<=-))(?:${secretNames})$`)

/**
 * Whether a field of this name holds a secret, whatever its value: `token`, `password`, also with other words before
 * it (`DB_PASSWORD`, `dbPassword`, `X-Amz-Signature`). Counts and positions are none: `totalTokens`, `nextPageToken`.
 */
export function namesSecret(field: string): boolean {
  const words = field
    .slice(-longest)
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4')
    .replace(/[_.]/g, '-')
  return isName.test(words.toLowerCase())
}

const longest = 64

/** Whether all that is in this value is a secret, for the name of its field: a schema says only what it must be like. */
export function holdsSecret(field: string, value: unknown): boolean {
  return namesSecret(field) && !isSchema(value)
}

function isSchema(value: unknown): boolean {
  if (!isRecord(value) || Object.hasOwn(value, 'value')) return false
  const { type } = value
  const keywords = Object.keys(value)
  return (
    types.has([type].flat()[0]) ||
    keywords.some((keyword) => combining.has(keyword)) ||
    keywords.every((keyword) => keyword === 'description' || keyword === 'title')
  )
}

const types = new Set<unknown>(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
const combining = new Set(['$ref', 'allOf', 'anyOf', 'const', 'enum', 'not', 'oneOf'])

/**
 * The text with what the names of secrets are said to be taken out of it, as in header lines, addresses and JSON; with
 * private keys, and the passwords of addresses.
 */
export function withoutNamed(text: string): string {
  return withoutSaid(text.replace(privateKey, keepEnds)).replace(login, keepLogin)
}

/** Stands where something was. */
export const redacted = '[redacted]'

const privateKey = /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]{1,20000}(-----END)?/g

/** A password may contain what belongs encoded; a port is none. Long user names without one are tokens. */
const login =
  /(:\/\/[^\s:/?#@"']{0,256}:)(?:[^\s/?#"']{1,256}|(?!\d{1,5}[/?#])[^\s"']{1,256}?)(@)|(:\/\/)(?=[\w-]{0,80}\d)[\w-]{20,256}(@)/g

function keepEnds(_: string, start: string, end = ''): string {
  return start + redacted + end
}

function keepLogin(_: string, start?: string, end?: string, before?: string, behind?: string): string {
  return keepEnds(_, start ?? before ?? '', end ?? behind)
}

/**
 * A name, the quote behind it, and the sign that says what it is, or an option of a command with a value that has a
 * digit. Before it may stand the end of a line, escaped.
 */
const naming =
  /(?<![\w-]|\bunexpected )(?:(?<=\\)[nrt])?([\w.-]{1,64})(\\{0,16}["'])?(?:[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8}(?:\r?\n[ \t]{1,8})?|(?<=(?:^|\s)--[\w-]{1,62})[ \t]{1,8}(?=[\w.~+/-]{0,200}\d))/gi

function withoutSaid(text: string): string {
  let shown = ''
  let from = 0
  for (const { 0: named, 1: name = '', 2: quote = '', index } of text.matchAll(naming)) {
    if (index < from || !namesSecret(name)) continue
    const at = index + named.length
    const said = text[at] === '[' ? listAt(text, at) : wordsAt(text, at, { name, quote })
    if (!said) continue
    shown += text.slice(from, at) + said.shown
    from = at + said.length
  }
  return shown + text.slice(from)
}

interface SecretPhrase {
  readonly length: number
  /** What is written in its place. */
  readonly shown: string
}

/** In quotes of any depth of escapes, to their end or that of the text. */
const quoted = String.raw`(\\{0,16})(["'])((?:\1\\(?:\1\\|\1\2|[^\\\n])|(?!\1\\|\1\2)[^\n])+)(\1\2|$)`

const isQuoted = new RegExp(quoted, 'y')

function wordsAt(
  text: string,
  at: number,
  { name, quote }: { name: string; quote: string },
): SecretPhrase | undefined {
  const inQuotes = matchAt(isQuoted, text, at)
  if (inQuotes) return { length: inQuotes[0].length, shown: hidden(inQuotes) }
  const found = matchAt(wayOf(name), text, at)
  // Where names stand in quotes, a bare word would be no JSON.
  return found ? { length: found[0].length, shown: quote + redacted + quote } : undefined
}

const list = /\[[^[\]{}]{0,4000}\]/y

function listAt(text: string, at: number): SecretPhrase | undefined {
  const [whole] = matchAt(list, text, at) ?? []
  if (whole === undefined || whole === redacted) return undefined
  const shown = whole.replace(new RegExp(quoted, 'g'), (...match: string[]) => hidden(match))
  return { length: whole.length, shown }
}

function hidden([, slashes = '', mark = '', , end = '']: readonly string[]): string {
  return slashes + mark + redacted + end
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function wayOf(name: string): RegExp {
  if (/authorization$/i.test(name)) return credentials
  if (name === 'PWD') return notFolder
  return /cookie$/i.test(name) ? cookies : bare
}

const word = String.raw`(?!\[|\{)[^\s&,;"'${'`'}\\})\]]+`
const space = String.raw`[ \t]{1,8}`
const schemes =
  'Bearer|Basic|Token|Api-?Key|Digest|Negotiate|NTLM|Key|Bot|SSWS|Hawk|OAuth|JWT|DPoP|Signature|Kerberos|GoogleLogin'
const parameter = String.raw`[\w-]{1,64}=(?:\\{0,16}"[^"\n]{0,4000}"|[^\s,"'\\]*)`

/** A scheme with parameters; one with a word, known or with what looks like a key or with nothing behind it; a word. */
const credentials = new RegExp(
  [
    String.raw`[a-z][\w-]{0,39}${space}${parameter}(?:,\s{0,8}${parameter})*`,
    `(?:${schemes})${space}${word}`,
    String.raw`[a-z][\w-]{0,39}${space}(?=\S{0,400}\d)${word}`,
    String.raw`[a-z][\w-]{0,39}${space}${word}(?=[ \t]{0,8}(?:[\r\n"'${'`'}\\]|$))`,
    word,
  ].join('|'),
  'iy',
)

/** To the end of the line, or of the quotes around it. */
const cookies = /(?=[^\s=;,"'\\]{1,256}=)(?:=\\{0,16}"[^"\r\n]{0,4000}"|[^\r\n"'`\\])+/y

/** One word; these are none that anybody keeps secret. */
const bare = new RegExp(
  String.raw`(?!(?:null|true|false|none|nil|undefined|string|str|number|boolean|required|optional|expected|invalid|missing|must)(?![\w-]))${word}`,
  'iy',
)

/** The variable of every shell names the current folder; in connection strings it is the password. */
const notFolder = new RegExp(String.raw`(?!~?/|[a-z]:\\)${word}`, 'iy')

/** What the environment holds under names that secrets have, and the passwords in its addresses. */
export function environmentSecrets(): readonly string[] {
  const variables = Object.entries(globalThis.process?.env ?? {})
  return variables.flatMap(([name, value = '']) => [
    ...passwordsIn(value),
    ...(isSecret(name, value) ? [value] : []),
  ])
}

function isSecret(name: string, value: string): boolean {
  if (value.length < 8 || !variableNames.test(name) || isAbout.test(name)) return false
  return !isOrdinary.test(value) && (passwords.test(name) || !/^[\d.]+$/.test(value))
}

const variableNames =
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
