import { Agent, type Artifact, chatModel, memoryArtifacts } from '@capstan/core'
import type { startService } from '@capstan/service'
import type { AzureOpenAI, OpenAI } from 'openai'
import type { OpenAI as OpenAI7 } from 'openai7'
import { expectTypeOf, test } from 'vitest'
import {
  editImage,
  generateImage,
  type MediaOptions,
  mediaTools,
  speak,
  transcribeAudio,
} from '../src/index.js'

type Client = NonNullable<MediaOptions['client']>

test('clients of both majors, of Azure, and options of one fit', () => {
  expectTypeOf<OpenAI>().toExtend<Client>()
  expectTypeOf<OpenAI7>().toExtend<Client>()
  expectTypeOf<AzureOpenAI>().toExtend<Client>()
  expectTypeOf<{ baseURL: string; apiKey: string }>().toExtend<Client>()
  expectTypeOf<Awaited<ReturnType<typeof startService>>>().toExtend<Client>()
  expectTypeOf<{ baseURL: number }>().not.toExtend<Client>()
})

test('call takes ids of the right kind and gives typed results', () => {
  expectTypeOf(editImage().call).parameter(0).toEqualTypeOf<{
    image: `img_${string}`
    mask?: `img_${string}` | undefined
    prompt: string
    size?: string | undefined
  }>()
  expectTypeOf(transcribeAudio().call).parameter(0).toEqualTypeOf<{ file: `aud_${string}` }>()
  expectTypeOf(generateImage().call).returns.resolves.toEqualTypeOf<{ images: Artifact<'image'>[] }>()
  expectTypeOf(speak().call).returns.resolves.toEqualTypeOf<{ audio: Artifact<'audio'> }>()
  expectTypeOf(transcribeAudio().call).returns.resolves.toEqualTypeOf<{ text: string }>()
})

test('a result is an argument of the next tool, and an id of another kind is none', () => {
  type EditArguments = Parameters<ReturnType<typeof editImage>['call']>[0]
  expectTypeOf<Artifact<'image'>['id']>().toExtend<EditArguments['image']>()
  expectTypeOf<Artifact<'audio'>['id']>().not.toExtend<EditArguments['image']>()
  expectTypeOf<string>().not.toExtend<EditArguments['image']>()
})

test('an agent with the tools knows the result of each by its name', () => {
  const agent = new Agent({ model: chatModel('planner'), tools: mediaTools(), artifacts: memoryArtifacts() })
  type Call = Awaited<ReturnType<typeof agent.run>>['toolCalls'][number]
  type Known = Extract<Call, { dynamic?: false; status: 'ok' }>
  type ResultOf<Name extends Known['name']> = Extract<Known, { name: Name }>['result']
  expectTypeOf<Known['name']>().toEqualTypeOf<
    'generate_image' | 'edit_image' | 'vary_image' | 'transcribe_audio' | 'translate_audio' | 'speak'
  >()
  expectTypeOf<ResultOf<'edit_image'>['images'][number]['id']>().toEqualTypeOf<`img_${string}`>()
  expectTypeOf<ResultOf<'speak'>['audio']['durationMs']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ResultOf<'translate_audio'>>().toEqualTypeOf<{ text: string }>()
})
