import { useRef, useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import { api } from '../api/client.js'
import { attempt } from '../api/state.js'
import { Choices } from '../parts/choices.js'
import { Icon } from '../parts/icons.js'
import { agentName } from '../shell/agent-name.js'
import { type Attachment, Attachments, attach } from './attachments.js'
import { ask, type OnSave, onSave } from './chat-state.js'

/** Returns the draft of the next message, and functions to change and send it. */
function useMessage(run: RunSummary | undefined) {
  const [text, setText] = useState('')
  const [files, setFiles] = useState<readonly Attachment[]>([])
  const isUploading = files.some(({ artifact, problem }) => !artifact && !problem)
  const agent = run?.agent ?? agentName()
  const canSend = (text.trim() !== '' || files.length > 0) && !isUploading && run?.status !== 'pending'
  const add = (list: Iterable<File>) =>
    attach(list, (changed) =>
      setFiles((now) =>
        now.some(({ key }) => key === changed.key)
          ? now.map((one) => (one.key === changed.key ? changed : one))
          : [...now, changed],
      ),
    )
  const remove = (gone: Attachment) => setFiles((now) => now.filter(({ key }) => key !== gone.key))
  const send = async () => {
    if (!canSend || agent === undefined) return
    if (run?.status === 'running') {
      const isSent = await attempt(async () => {
        await api.sendText(run.id, text)
        return true
      })
      if (isSent) setText('')
      return
    }
    const attachments = files.flatMap(({ artifact }) => (artifact ? [artifact.id] : []))
    const id = await ask(agent, { text, attachments }, run && canGoOn(run) ? run.id : undefined)
    if (id === undefined) return
    setText('')
    setFiles([])
  }
  return { text, setText, files, add, remove, send, canSend: canSend && agent !== undefined }
}

/** The field for the next message. The user can drop, paste or pick files. */
export function Composer({ run }: { readonly run: RunSummary | undefined }) {
  const { text, setText, files, add, remove, send, canSend } = useMessage(run)
  const [isOver, setOver] = useState(false)
  const isRunning = run?.status === 'running'
  return (
    <form
      class={`composer ${isOver ? 'over' : ''}`}
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        add(event.dataTransfer?.files ?? [])
      }}
    >
      <Attachments list={files} onRemove={remove} />
      <div class="composer-line">
        {isRunning ? null : <FilePicker onPick={add} />}
        <MessageField
          text={text}
          label={labelOf(run)}
          onText={setText}
          onSend={() => void send()}
          onPaste={add}
        />
        {isRunning ? (
          <button type="button" class="stop" onClick={() => attempt(() => api.stop(run.id))}>
            <Icon name="stop" />
            Stop
          </button>
        ) : null}
        <button type="submit" class="main" disabled={!canSend}>
          <Icon name="send" />
          {isRunning ? 'Say' : 'Send'}
        </button>
      </div>
      <SaveChoice />
    </form>
  )
}

/**
 * Whether the next message continues the conversation after this run. After a failed run, the message starts a new
 * conversation.
 */
function canGoOn({ status }: RunSummary): boolean {
  return status === 'ended'
}

function labelOf(run: RunSummary | undefined): string {
  if (run?.status === 'running') return 'Say to the run'
  if (run?.status === 'pending') return 'Decide on the call above first'
  return 'Write, or drop an image or audio file'
}

interface MessageFieldProps {
  readonly text: string
  readonly label: string
  readonly onText: (text: string) => void
  readonly onSend: () => void
  readonly onPaste: (files: FileList) => void
}

function MessageField({ text, label, onText, onSend, onPaste }: MessageFieldProps) {
  return (
    <textarea
      id="message"
      rows={Math.min(8, Math.max(2, text.split('\n').length))}
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
        event.preventDefault()
        onSend()
      }}
      onPaste={(event) => {
        const pasted = event.clipboardData?.files
        if (!pasted || pasted.length === 0) return
        event.preventDefault()
        onPaste(pasted)
      }}
    />
  )
}

function FilePicker({ onPick }: { readonly onPick: (files: FileList) => void }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => picker.current?.click()}
      >
        <Icon name="attach" />
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={({ currentTarget }) => {
          if (currentTarget.files) onPick(currentTarget.files)
          currentTarget.value = ''
        }}
      />
    </>
  )
}

function SaveChoice() {
  const choices: readonly (readonly [OnSave, string])[] = [
    ['nothing', 'do nothing'],
    ['ask', 'rerun'],
    ['check', 'compare with recording'],
  ]
  return (
    <fieldset class="save-choice">
      <legend>When the file changes</legend>
      <Choices
        name="on-save"
        choices={choices}
        value={onSave.value}
        onChoose={(value) => {
          onSave.value = value
        }}
      />
    </fieldset>
  )
}
