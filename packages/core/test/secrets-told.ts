/** Ways in which a secret gets into what is said, each as a text that tells it. */
export function tellings(key: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(key)
  return {
    'as it is': `the key is ${key}.`,
    'in capitals': key.toUpperCase(),
    'in an address': `https://api.example.com/v1/things?api_key=${encodeURIComponent(key)}&page=2`,
    'as the password of an address': `https://admin:${encodeURIComponent(key)}@db.example.com/x`,
    'in base64': bytes.toString('base64'),
    'in base64 behind a name': Buffer.from(`admin:${key}`).toString('base64'),
    'in base64 for addresses': Buffer.from(`{"k":"${key}"}`).toString('base64url'),
    'in hex': bytes.toString('hex'),
    'with each character escaped for an address': [...bytes].map((byte) => `%${byte.toString(16)}`).join(''),
    'with each character escaped for JSON': [...bytes]
      .map((byte) => `\\u00${byte.toString(16).padStart(2, '0')}`)
      .join(''),
    'with each character escaped for HTML': [...bytes].map((byte) => `&#${byte};`).join(''),
    'as JSON in JSON': JSON.stringify(JSON.stringify({ authorization: `Bearer ${key}` })),
    'cut at its end': `Incorrect key provided: ${key.slice(0, -4)}****`,
    'cut at its beginning': `...${key.slice(6)}`,
    'in a header line': `authorization: Bearer ${key}\r\naccept: */*`,
    'on a command line': `curl -H 'Authorization: Bearer ${key}' https://example.com`,
    'in a variable': `export OPENAI_API_KEY="${key}"`,
  }
}

/** Whether any part of a secret that could be used, of ten characters, is in a text in one of these ways. */
export function tells(text: string, key: string): boolean {
  const readings = [text, text.toLowerCase(), decodedBase64(text), decodedHex(text), decodedEscapes(text)]
  const parts = Array.from({ length: key.length - 9 }, (_, at) => key.slice(at, at + 10).toLowerCase())
  return readings.some((reading) => parts.some((part) => reading.toLowerCase().includes(part)))
}

function decodedBase64(text: string): string {
  const runs = text.match(/[\w+/-]{8,}/g) ?? []
  return runs
    .flatMap((run) => [0, 1, 2, 3].map((cut) => Buffer.from(run.slice(cut), 'base64').toString()))
    .join('\n')
}

function decodedHex(text: string): string {
  const runs = text.match(/[0-9a-f]{8,}/gi) ?? []
  return runs.flatMap((run) => [0, 1].map((cut) => Buffer.from(run.slice(cut), 'hex').toString())).join('\n')
}

function decodedEscapes(text: string): string {
  const code = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
  return text
    .replaceAll('\\\\', '\\')
    .replace(/\\u([0-9a-f]{4})/gi, code)
    .replace(/%([0-9a-f]{2})/gi, code)
    .replace(/&#(\d+);/g, (_, number: string) => String.fromCharCode(Number(number)))
}
