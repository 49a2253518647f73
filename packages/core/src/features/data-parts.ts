import type { StandardSchemaV1 } from '@standard-schema/spec'
import { chain, ignore } from '../async.js'
import { toUtf8 } from '../bytes.js'
import { CapstanError, invalidOption } from '../errors.js'
import { getOwn } from '../json.js'
import { checkOptionNames } from '../option-names.js'
import { toJsonText } from '../tools/render-result.js'
import type { ToolContext } from '../tools/tool-options.js'
import { validate } from '../tools/validate.js'

/** The schema of each part, by part name. */
export type PartSchemas = Readonly<Record<string, StandardSchemaV1>>

export interface DataPartOptions {
  /** A later part with the same name and id replaces this one. Without an id, every part is kept. */
  readonly id?: string
  /** Whether a page shows the part without storing it in the message. Default false. */
  readonly transient?: boolean
}

/** Sends the application's data to its page, alongside the model's messages. */
export interface DataParts<Schemas extends PartSchemas> {
  readonly schemas: Schemas
  /**
   * Sends a part from a tool as a `data-part` event, with the value that the schema returns. The model does not get the
   * part. Await the call: if the value does not match its schema, or is larger than 64 kB as JSON, nothing is sent and
   * the tool call fails with `invalid_request`.
   */
  send<Name extends keyof Schemas & string>(
    ctx: Pick<ToolContext, 'progress'>,
    name: Name,
    value: StandardSchemaV1.InferInput<Schemas[Name]>,
    options?: DataPartOptions,
  ): Promise<void>
}

/**
 * Declares the parts that tools send to your page, each with its schema. In `useChat` a part `weather` is
 * `data-weather`; in AG-UI it is a `CUSTOM` event named `weather`.
 * @throws CapstanError `invalid_request` for a name that does not start with `a` to `z` or contains anything but
 * letters, digits and `-`, a name that `@capstan/http` reserves, or a value that is not a schema
 */
export function dataParts<const Schemas extends PartSchemas>(schemas: Schemas): DataParts<Schemas> {
  for (const [name, schema] of Object.entries(schemas)) checkPart(name, schema)
  return {
    schemas,
    send(ctx, name, value, options = {}) {
      const sent = (async () => {
        const schema = getOwn(schemas, name)
        if (!schema) throw invalidPart(name, 'is not declared. Add it to dataParts({ ... })')
        checkOptionNames(options, optionKinds, { of: `The part "${name}"` })
        await chain(validate(schema, value), ({ issues, ...checked }) => {
          if (issues) throw invalidPart(name, `does not match its schema: ${issues.join('; ')}`, { issues })
          const { value: fitting } = checked as { readonly value: unknown }
          checkLength(name, fitting)
          ctx.progress(fitting, { type: 'data-part', part: name, ...options })
        })
      })()
      // The tool might not await the promise.
      sent.catch(ignore)
      return sent
    },
  }
}

const optionKinds = { id: 'a string', transient: 'true or false' } as const

/** Names that `@capstan/http` uses for its own parts and events. */
const ownNames = /^(agent|approval|artifact|effects|handoff|limit|output|progress|time)$/

function checkPart(name: string, schema: unknown): void {
  if (!/^[a-z][A-Za-z0-9-]*$/.test(name))
    throw invalidOption(name, `"${name}" is not a valid part name. Use a to z, then letters, digits and "-".`)
  if (ownNames.test(name))
    throw invalidOption(name, `@capstan/http reserves the part "${name}". Use another name.`)
  if (!Object(Object(schema)['~standard']).validate)
    throw invalidOption(name, `The part "${name}" needs a schema. Use z.object({ ... }).`)
}

/** The maximum size of a part as JSON, in bytes. */
const maxBytes = 65_536

function checkLength(part: string, value: unknown): void {
  const bytes = toUtf8(toJsonText(value)).byteLength
  if (bytes > maxBytes)
    throw invalidPart(part, `has ${bytes} bytes; the maximum is ${maxBytes}. Store the data as an artifact`, {
      bytes,
      maxBytes,
    })
}

function invalidPart(part: string, what: string, evidence?: object): CapstanError {
  return new CapstanError('invalid_request', `The part "${part}" ${what}.`, {
    evidence: { part, ...evidence },
  })
}
