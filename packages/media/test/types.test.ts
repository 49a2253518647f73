import { Agent, type Artifact, chatModel, memoryArtifacts } from '@capstan/core'
import type { startService } from '@capstan/service'
import type { AzureOpenAI, OpenAI } from 'openai'
import type { OpenAI as OpenAI7 } from 'openai7'
import { expectTypeOf, test } from 'vitest'
import {
  type EditResult,
  editImage,
  generateImage,
  type MediaOptions,
  mediaTools,
  type ReadableArtifact as Readable,
  speak,
  type TimedText,
  type Transcription,
  transcribeAudio,
  translateAudio,
  varyImage,
} from '../src/index.js'

type Client = NonNullable<MediaOptions['client']>

test('accepts clients of both majors, of Azure, and client options', () => {
  expectTypeOf<OpenAI>().toExtend<Client>()
  expectTypeOf<OpenAI7>().toExtend<Client>()
  expectTypeOf<AzureOpenAI>().toExtend<Client>()
  expectTypeOf<{ baseURL: string; apiKey: string }>().toExtend<Client>()
  expectTypeOf<Awaited<ReturnType<typeof startService>>>().toExtend<Client>()
  expectTypeOf<{ baseURL: number }>().not.toExtend<Client>()
})

test('accepts inputs for an image or a recording in call, and returns typed results', () => {
  type Given<Kind extends 'image' | 'audio'> =
    | Artifact<Kind>['id']
    | Artifact<Kind>
    | Uint8Array
    | Blob
    | { readonly path: string }
    | URL
    | `data:${string}`
    | `http://${string}`
    | `https://${string}`
  expectTypeOf<EditArguments['image']>().toEqualTypeOf<Given<'image'>>()
  expectTypeOf<EditArguments['mask']>().toEqualTypeOf<Given<'image'> | undefined>()
  expectTypeOf<EditArguments['prompt']>().toEqualTypeOf<string>()
  expectTypeOf<'region'>().toExtend<keyof EditArguments>()
  expectTypeOf<{ image: Blob; prompt: string }>().toExtend<EditArguments>()
  expectTypeOf<{ image: `img_${string}` }>().toExtend<Parameters<ReturnType<typeof varyImage>['call']>[0]>()
  type Heard = Parameters<ReturnType<typeof transcribeAudio>['call']>[0]
  expectTypeOf<Heard['file']>().toEqualTypeOf<Given<'audio'>>()
  expectTypeOf(generateImage().call).returns.resolves.toEqualTypeOf<{ images: Readable<'image'>[] }>()
  expectTypeOf(editImage().call).returns.resolves.toExtend<EditResult>()
  expectTypeOf(editImage().call).returns.resolves.toExtend<{ images: readonly Readable<'image'>[] }>()
  expectTypeOf(varyImage().call).returns.resolves.toEqualTypeOf<{ images: Readable<'image'>[] }>()
  expectTypeOf(speak().call).returns.resolves.toEqualTypeOf<{ audio: Readable<'audio'> }>()
  expectTypeOf(transcribeAudio().call).returns.resolves.toExtend<Transcription>()
  expectTypeOf(transcribeAudio().call).returns.resolves.toExtend<{ text: string }>()
})

test('types the fields of requests, and those that models may choose', () => {
  type Request = NonNullable<MediaOptions['request']>
  expectTypeOf<{ image: { quality: 'low'; seed: number } }>().toExtend<Request>()
  expectTypeOf<{ speech: { speed: 1.2; instructions: string } }>().toExtend<Request>()
  expectTypeOf<{ transcription: { timestamps: 'word'; subtitles: 'srt' } }>().toExtend<Request>()
  expectTypeOf<{ image: { outputFormat: 'gif' } }>().not.toExtend<Request>()
  expectTypeOf<{ speech: { speed: string } }>().not.toExtend<Request>()
  expectTypeOf<{ translation: { timestamps: 'word' } }>().not.toExtend<Request>()
  type Chosen = NonNullable<MediaOptions['parameters']>
  expectTypeOf<{ image: ['quality', 'background']; speech: ['speed'] }>().toExtend<Chosen>()
  expectTypeOf<{ image: ['speed'] }>().not.toExtend<Chosen>()
  expectTypeOf<{ image: ['partialImages'] }>().not.toExtend<Chosen>()
})

test('types a call in one go by its arguments and options, and its result by what it asks for', () => {
  const file = 'aud_aaaaaaaa'
  // Never called: they would send requests.
  const calls = () => ({
    drawn: generateImage({ prompt: 'a cat', quality: 'low', client: { apiKey: '' } }),
    spoken: speak({ input: 'Hello', speed: 1.2 }),
    heard: transcribeAudio({ file }),
    timed: transcribeAudio({ file, timestamps: 'segment' }),
    words: transcribeAudio({ file, timestamps: 'word' }),
    subtitled: translateAudio({ file, subtitles: 'vtt' }),
    // @ts-expect-error: a speed is a number.
    wrongSpeed: speak({ input: 'Hello', speed: 'fast' }),
    // @ts-expect-error: translations have no times of words.
    wrongTimes: translateAudio({ file, timestamps: 'word' }),
    // @ts-expect-error: retries are an option of the client.
    wrongOption: transcribeAudio({ file, maxRetries: 1 }),
  })
  type Of<Name extends keyof ReturnType<typeof calls>> = Awaited<ReturnType<typeof calls>[Name]>
  expectTypeOf<Of<'drawn'>>().toEqualTypeOf<{ images: Readable<'image'>[] }>()
  expectTypeOf<Of<'spoken'>>().toEqualTypeOf<{ audio: Readable<'audio'> }>()
  expectTypeOf<Of<'heard'>>().toExtend<{ text: string }>()
  expectTypeOf<Of<'heard'>>().not.toHaveProperty('segments')
  expectTypeOf<Of<'timed'>['segments']>().toEqualTypeOf<readonly TimedText[]>()
  expectTypeOf<Of<'words'>['words']>().toEqualTypeOf<readonly TimedText[]>()
  expectTypeOf<Of<'words'>>().not.toHaveProperty('segments')
  expectTypeOf<Of<'subtitled'>['subtitles']>().toEqualTypeOf<Readable<'text'>>()
  expectTypeOf(generateImage({ models: { image: 'flux' } }).name).toEqualTypeOf<'generate_image'>()
})

type EditArguments = Parameters<ReturnType<typeof editImage>['call']>[0]

test('accepts a result as an argument of the next tool, and rejects another kind', () => {
  expectTypeOf<Artifact<'image'>['id']>().toExtend<EditArguments['image']>()
  expectTypeOf<Artifact<'image'>>().toExtend<EditArguments['image']>()
  expectTypeOf<Artifact<'audio'>['id']>().not.toExtend<EditArguments['image']>()
  expectTypeOf<Artifact<'audio'>>().not.toExtend<EditArguments['image']>()
  expectTypeOf<Readable<'image'>>().toExtend<EditArguments['image']>()
  expectTypeOf<Readable<'audio'>>().not.toExtend<EditArguments['image']>()
  expectTypeOf<string>().not.toExtend<EditArguments['image']>()
  expectTypeOf<`file:${string}`>().not.toExtend<EditArguments['image']>()
})

test("types arguments of a model as ids, also for a program's tool", () => {
  const agent = new Agent({ model: chatModel('planner'), tools: mediaTools() })
  type Call = Awaited<ReturnType<typeof agent.run>>['toolCalls'][number]
  type Edit = Extract<Call, { dynamic?: false; name: 'edit_image'; status: 'ok' }>
  expectTypeOf<Edit['arguments']['image']>().toEqualTypeOf<`img_${string}`>()
})

test('types the result of each tool by its name in an agent', () => {
  const agent = new Agent({ model: chatModel('planner'), tools: mediaTools(), artifacts: memoryArtifacts() })
  type Call = Awaited<ReturnType<typeof agent.run>>['toolCalls'][number]
  type Known = Extract<Call, { dynamic?: false; status: 'ok' }>
  type ResultOf<Name extends Known['name']> = Extract<Known, { name: Name }>['result']
  expectTypeOf<Known['name']>().toEqualTypeOf<
    'generate_image' | 'edit_image' | 'vary_image' | 'transcribe_audio' | 'translate_audio' | 'speak'
  >()
  expectTypeOf<ResultOf<'edit_image'>['images'][number]['id']>().toEqualTypeOf<`img_${string}`>()
  expectTypeOf<ResultOf<'speak'>['audio']['durationMs']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ResultOf<'speak'>['audio']>().not.toExtend<{ read: unknown }>()
  expectTypeOf<ResultOf<'translate_audio'>>().toEqualTypeOf<Transcription>()
})
