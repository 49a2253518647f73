import { CapstanError } from '../words/error.js'
import { ownParameters } from './own-parameters.js'
import { readBytes } from './read-bytes.js'
import { type Tool, tool } from './tool.js'

/** A part of a text artifact, as the model reads it. */
export interface ArtifactPart {
  readonly artifact: string
  /** Characters: where this part begins and ends, and how many there are. */
  readonly from: number
  readonly to: number
  readonly of: number
  readonly text: string
}

const reader = tool({
  name: 'read_artifact',
  description: 'Read a part of a text artifact, at most 8000 characters at one time.',
  parameters: ownParameters({
    type: 'object',
    properties: {
      artifact: { type: 'string', description: 'Id of the artifact' },
      from: { type: 'integer', minimum: 0, description: 'First character to read. Default 0' },
      length: { type: 'integer', minimum: 1, maximum: 8000, description: 'Characters to read. Default 8000' },
    },
    required: ['artifact'],
  }),
  effects: 'read',
  async execute(args, { artifacts }): Promise<ArtifactPart> {
    const { artifact, from = 0, length = 8000 } = args as { artifact: string; from?: number; length?: number }
    const found = await artifacts.stat(artifact)
    if (found && found.kind !== 'text') {
      const message = `"${artifact}" is no text but of the kind ${found.kind}: only texts can be read.`
      throw new CapstanError('invalid_arguments', message, { evidence: { artifact } })
    }
    const text = new TextDecoder().decode(await readBytes(await artifacts.open(artifact)))
    const begin = atCharacter(text, from)
    const to = atCharacter(text, begin + length)
    return { artifact, from: begin, to, of: text.length, text: text.slice(begin, to) }
  },
})

/** The tool `read_artifact`: pages through a text that was too long to be shown. Offered once there is one. */
export const readArtifact: Tool = {
  ...reader,
  reads: (args) => (args as { readonly artifact: string }).artifact,
}

/** The place, or the one behind it where it would cut a character in two; at most the end. */
function atCharacter(text: string, place: number): number {
  const isInside = (text.codePointAt(place - 1) ?? 0) > 0xffff
  return Math.min(text.length, isInside ? place + 1 : place)
}
