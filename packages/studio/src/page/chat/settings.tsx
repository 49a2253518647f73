import { useId } from 'preact/hooks'
import { Dialog } from '../parts/dialog.js'
import { type ChatSettings, chatSettings, noSettings, problemOfJson } from './chat-state.js'

/** A drawer with the chat's settings. */
export function Settings({ onClose }: { readonly onClose: () => void }) {
  const { model, settings, limits, instructions, asksBeforeEffects } = chatSettings.value
  const change = (part: Partial<ChatSettings>) => {
    chatSettings.value = { ...chatSettings.value, ...part }
  }
  return (
    <Dialog title="Chat settings" kind="drawer" onClose={onClose}>
      <p class="soft">
        These settings apply to the next messages in this tab. If a field is empty, the agent's own value
        applies.
      </p>
      <Field label="Model" value={model} onValue={(value) => change({ model: value })} />
      <Field
        label="Request settings"
        hint='JSON, such as {"temperature": 0}'
        isJson
        value={settings}
        onValue={(value) => change({ settings: value })}
      />
      <Field
        label="Limits"
        hint='JSON, such as {"steps": 5, "toolCalls": 10}'
        isJson
        value={limits}
        onValue={(value) => change({ limits: value })}
      />
      <Field
        label="Instructions"
        isLong
        hint="Replaces the agent's own instructions"
        value={instructions}
        onValue={(value) => change({ instructions: value })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={asksBeforeEffects}
          onChange={(event) => change({ asksBeforeEffects: event.currentTarget.checked })}
        />
        Ask before every call that can change data
      </label>
      <p>
        <button
          type="button"
          onClick={() => {
            chatSettings.value = noSettings
          }}
        >
          Use the agent's own settings
        </button>
      </p>
    </Dialog>
  )
}

interface FieldProps {
  readonly label: string
  readonly hint?: string
  readonly isJson?: boolean
  readonly isLong?: boolean
  readonly value: string
  readonly onValue: (value: string) => void
}

function Field({ label, hint, isJson, isLong, value, onValue }: FieldProps) {
  const id = useId()
  const problem = isJson && value.trim() !== '' ? problemOfJson(value) : undefined
  const shared = {
    id,
    value,
    'aria-describedby': `${id}hint`,
    'aria-invalid': problem !== undefined,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onValue(event.currentTarget.value),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isJson || isLong ? (
        <textarea rows={isLong ? 6 : 3} class={isJson ? 'mono' : ''} {...shared} />
      ) : (
        <input type="text" {...shared} />
      )}
      <span id={`${id}hint`} class={problem ? 'hint bad' : 'hint'}>
        {problem ?? hint ?? ''}
      </span>
    </div>
  )
}
