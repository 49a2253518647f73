import { type Artifact, isArtifact } from '@capstan/core'
import { isRecord } from './records.js'

/** Content blocks as the model sees them: a string if all blocks are text, otherwise an object. */
type Content =
  | string
  | {
      readonly text?: string
      readonly artifacts?: readonly Artifact[]
      /** URLs of external files in the blocks. The files are not fetched. */
      readonly links?: readonly string[]
    }

/**
 * Converts a result to the value for the model. Call it after the result's bytes have been stored. Content blocks
 * become text, artifacts and links. Any other value is returned unchanged.
 */
export function readContent(value: unknown): unknown {
  const blocks = Array.isArray(value) ? value : [value]
  const isContent = blocks.some(isTextBlock) || blocks.some((block) => linkOf(block) !== undefined)
  const isAll = blocks.every(
    (block) => isTextBlock(block) || isArtifact(block) || linkOf(block) !== undefined,
  )
  return isContent && isAll ? joined(blocks) : value
}

/**
 * Converts the output of `toModelOutput` to the value for the model. Any bytes in the returned value have not been
 * stored yet.
 */
export function readModelOutput(output: unknown): unknown {
  if (!isRecord(output)) return output
  const { type, value, reason } = output
  if (type === 'execution-denied')
    return `Execution denied${reason === undefined ? '.' : `: ${String(reason)}`}`
  if (type === 'content') return readContent(value)
  return /^(text|json|error-text|error-json)$/.test(String(type)) && 'value' in output
    ? value
    : readContent(output)
}

function joined(blocks: readonly unknown[]): Content {
  const text = blocks.flatMap((block) => (isTextBlock(block) ? [block.text] : [])).join('\n')
  const artifacts = blocks.filter(isArtifact)
  const links = blocks.flatMap((block) => linkOf(block) ?? [])
  if (artifacts.length + links.length === 0) return text
  return {
    ...(text !== '' && { text }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(links.length > 0 && { links }),
  }
}

function isTextBlock(block: unknown): block is { readonly text: string } {
  return (
    isRecord(block) &&
    /^(text|input_text|output_text)$/.test(String(block.type)) &&
    typeof block.text === 'string'
  )
}

/** Returns the URL of a block that refers to an external file. Undefined for any other block. */
function linkOf(block: unknown): string | undefined {
  if (
    !isRecord(block) ||
    !/^(image|file|audio|resource_link|image-url|file-url|image_url)$/.test(String(block.type))
  )
    return undefined
  const { url, uri, image, file, image_url, imageUrl, data } = block
  const places = [url, uri, imageUrl, image, file, image_url, data].flatMap((place) =>
    isRecord(place) ? [place.url] : [place],
  )
  const found = places.map((place) => (place instanceof URL ? place.href : place))
  return found.find(
    (place): place is string => typeof place === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(place),
  )
}
