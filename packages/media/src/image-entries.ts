/** One image of an answer, as far as its entry says where it is. */
export interface ImageEntry {
  /** Base64. */
  readonly inside?: string
  /** An address, `data:` ones too. */
  readonly link?: string
}

/**
 * The entries of an answer that has images: a list called `data` as the interface has it, `images` or `output`, or a
 * list by itself. Undefined for any other answer.
 */
export function imageEntries(answer: Readonly<Record<string, unknown>>): ImageEntry[] | undefined {
  const lists = [answer, answer.data, answer.images, answer.output]
  const list = lists.find((one): one is unknown[] => Array.isArray(one) && one.length > 0)
  return list?.map(toEntry)
}

/** Servers also send the text by itself, or call it by other names. */
function toEntry(entry: unknown): ImageEntry {
  if (typeof entry === 'string') return toPlace(entry)
  const { b64_json, url, image, b64, base64, image_url } = Object(entry) as Readonly<Record<string, unknown>>
  const inside = [b64_json, b64, base64].find(isFilled)
  if (inside !== undefined) return inside.startsWith('data:') ? { link: inside } : { inside }
  const link = [url, image_url, Object(image_url).url].find(isFilled)
  if (link !== undefined) return { link }
  return isFilled(image) ? toPlace(image) : {}
}

function toPlace(text: string): ImageEntry {
  return /^(data:|https?:)/i.test(text) ? { link: text } : { inside: text }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
