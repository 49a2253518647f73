import { decoded, isRecord } from '../json.js'

/** Patterns for names that indicate a secret, in lower case and with hyphens between words. */
const secretNames = [
  'api-?key|bearer|jwt|otp|passcode|passphrase|pwd|secret-value|session-cookie|sig',
  '^(?:proxy-|http-|x-(?:[a-z]+-)*)?authorization',
  '^(?:set-|http-)?cookie',
  '(?:access|api|auth|bearer|bot|csrf|github|gitlab|id|npm|refresh|security|session|slack|vault|xsrf)token',
  // Tokens for paging, protocols and tokenizers are not secrets.
  '(?<!(?:^|-)(?:bos|cancellation|completion|continuation|current|cursor|end|eos|first|input|invalid|last|mask|max|min|next|output|pad|page|per|prev|previous|progress|prompt|resumption|sep|special|start|stop|sync|unexpected|unk)-)token',
  '(?:app|client|shared)?secrets?',
  'secret-?(?:access-?)?key',
  '(?:access|account|deploy|encryption|master|private|role|shared-?access|signing|ssh|storage)-?key',
  'access-?key-?id',
  // Names of user interface strings about passwords are not secrets.
  '(?<!(?:change|forgot|forgotten|hide|invalid|lost|reset|show|wrong)-)passw(?:or)?d',
  '(?:admin|auth|database|db|mail|root|smtp|user)-pass',
  '(?:credential|cred)s?',
  '(?:j|php)?sess(?:ion)?-?id',
  'conn(?:ection)?-?str(?:ing)?',
  // The signatures of models and functions are not keys, so only these are matched.
  '(?:amz|goog|shared-?access)-?signature',
].join('|')

const secretName = RegExp(`(?:^|(?<=-))(?:${secretNames})$`)

/**
 * Whether a field name indicates a secret: `token` or `password`, even after other words (`DB_PASSWORD`, `dbPassword`,
 * `X-Amz-Signature`), but not a count or position (`totalTokens`, `nextPageToken`).
 */
export function namesSecret(field: string): boolean {
  const words = field
    .slice(-maxLength)
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4')
    .replace(/[_.]/g, '-')
  return secretName.test(words.toLowerCase())
}

const maxLength = 64

/** Whether a field's value is a secret, judging by its name. False for a JSON Schema, which only describes a value. */
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
 * Replaces private keys, passwords in URLs, and values in header lines, URLs and JSON whose names indicate a secret.
 */
export function withoutNamed(text: string): string {
  const withoutKeys = text.replace(privateKey, `$1${redacted}$2`)
  return withoutNamedValues(withoutKeys).replace(login, `$1$3${redacted}$2$4`)
}

/** The text that replaces a secret. */
export const redacted = '[redacted]'

const privateKey = /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]{1,20000}(-----END)?/g

/**
 * Matches a login in a URL. Passwords may contain characters that should have been encoded. Ports are not passwords. A
 * long user name without a password is a token.
 */
const login =
  /(:\/\/[^\s:/?#@"']{0,256}:)(?:[^\s/?#"']{1,256}|(?!\d{1,5}[/?#])[^\s"']{1,256}?)(@)|(:\/\/)(?=[\w-]{0,80}\d)[\w-]{20,256}(@)/g

/**
 * Matches a name, its closing quote and the assignment sign, or a command-line option whose value contains a digit. An
 * escaped line end may come first.
 */
const assignment =
  /(?<![\w-]|\bunexpected )(?:(?<=\\)[nrt])?([\w.-]{1,64})(\\{0,16}["'])?(?:[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8}(?:\r?\n[ \t]{1,8})?|(?<=(?:^|\s)--[\w-]{1,62})[ \t]{1,8}(?=[\w.~+/-]{0,200}\d))/gi

function withoutNamedValues(text: string): string {
  // Most strings contain no assignment.
  if (!/[:=]|--/.test(text)) return text
  let shown = ''
  let from = 0
  for (const { 0: named, 1: name = '', 2: quote = '', index } of text.matchAll(assignment)) {
    if (index < from || !namesSecret(name)) continue
    const at = index + named.length
    const isList = text[at] === '['
    const whole = matchAt(isList ? list : isQuoted, text, at)
    const found = whole ?? (isList ? undefined : matchAt(patternFor(name), text, at))
    if (found === undefined || found === redacted) continue
    // If the name is in quotes, the replacement needs quotes to stay valid JSON.
    shown +=
      text.slice(from, at) + (whole?.replace(quotedTexts, `$1$2${redacted}$4`) ?? quote + redacted + quote)
    from = at + found.length
  }
  return shown + text.slice(from)
}

/** Matches a quoted string, at any depth of escaping, up to its closing quote or the end of the text. */
const quoted = String.raw`(\\{0,16})(["'])((?:\1\\(?:\1\\|\1\2|[^\\\n])|(?!\1\\|\1\2)[^\n])+)(\1\2|$)`

const isQuoted = RegExp(quoted, 'y')
const quotedTexts = RegExp(quoted, 'g')

const list = /\[[^[\]{}]{0,4000}\]/y

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function patternFor(name: string): RegExp {
  if (/authorization$/i.test(name)) return credentials
  if (name === 'PWD') return passwordVariable
  return /cookie$/i.test(name) ? cookies : bare
}

const word = String.raw`(?!\[|\{)[^\s&,;"'${'`'}\\})\]]+`
const space = String.raw`[ \t]{1,8}`
const schemes =
  'Bearer|Basic|Token|Api-?Key|Digest|Negotiate|NTLM|Key|Bot|SSWS|Hawk|OAuth|JWT|DPoP|Signature|Kerberos|GoogleLogin'
const parameter = String.raw`[\w-]{1,64}=(?:\\{0,16}"[^"\n]{0,4000}"|[^\s,"'\\]*)`

/**
 * Matches credentials: a scheme with parameters, a scheme with one word, or a single word. After an unknown scheme, the
 * word must contain a digit, or come before a quote or the end of the line.
 */
const credentials = RegExp(
  [
    String.raw`[a-z][\w-]{0,39}${space}(?:${parameter}(?:,\s{0,8}${parameter})*|(?=\S{0,400}\d)${word}|${word}(?=[ \t]{0,8}(?:[\r\n"'${'`'}\\]|$)))`,
    `(?:${schemes})${space}${word}`,
    word,
  ].join('|'),
  'iy',
)

/** Matches cookies, up to the end of the line or the closing quote. */
const cookies = /(?=[^\s=;,"'\\]{1,256}=)(?:=\\{0,16}"[^"\r\n]{0,4000}"|[^\r\n"'`\\])+/y

/** Matches one word, unless it is a common word that is not a secret, such as `required`. */
const bare = RegExp(
  String.raw`(?!(?:null|true|false|none|nil|undefined|string|str|number|boolean|required|optional|expected|invalid|missing|must)(?![\w-]))${word}`,
  'iy',
)

/**
 * Matches the value of `PWD`, unless it is a path: shells use the name for the current folder, connection strings for
 * the password.
 */
const passwordVariable = RegExp(String.raw`(?!~?/|[a-z]:\\)${word}`, 'iy')

/** Returns the values of environment variables whose names indicate a secret, and passwords in URLs in any variable. */
export function environmentSecrets(): readonly string[] {
  const variables = Object.entries(globalThis.process?.env ?? {})
  return variables.flatMap(([name, value = '']) => {
    // A URL may contain several hosts, which `URL` cannot parse.
    const logins = [...value.matchAll(/:\/\/[^\s:/?#@]*:([^\s/?#]+)@/g)]
    const passwords = logins.flatMap(([, password = '']) => [password, decoded(password)])
    return isSecret(name, value) ? [...passwords, value] : passwords
  })
}

function isSecret(name: string, value: string): boolean {
  if (value.length < 8 || !variableNames.test(name) || descriptiveNames.test(name)) return false
  return !ordinaryValues.test(value) && (passwords.test(name) || !/^[\d.]+$/.test(value))
}

const variableNames =
  /key|token|secret|passw|passphrase|(?:^|_|db|my|pg)pass(?:$|_)|[^_]_pwd$|credential|auth(?!or)|private|cookie|dsn|connection_?string/i

/** Matches names whose value is a secret even if it is a number. */
const passwords = /secret|passw|(?:^|_|db|my|pg)pass(?:$|_)|_pwd$/i

/** Matches names of variables that only describe a secret, such as its type or host. */
const descriptiveNames = /_(?:algorithm|domain|host|method|mode|name|port|provider|region|type)$/i

/** Matches values that are not secrets: paths, booleans, and URLs in which only the password is secret. */
const ordinaryValues =
  /^(?:(?:~|\.{1,2}|[a-z]:)?[\\/](?:\.?[a-z][a-z\d._-]*|[A-Z][a-z]+|\.\.)(?:[\\/]|$)|[A-Za-z]:\\|true$|false$|(?!https?:)[a-z][a-z\d+.:-]*:\/\/)/
