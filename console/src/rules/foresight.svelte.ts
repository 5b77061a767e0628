// Asks the platform what a rule that is being filled in would do, once it has been left alone for a moment; and which
// scenarios there are, with their numbers. What may not be asked is left out. Read next: foresight.ts, RuleForm.svelte.
import { session } from '../actor.svelte';
import { carryOut, type Request } from '../restconf';
import { readScenarios, readTemplate, type Scenario } from '../scenarios';
import { CHECK, figures, type Figure, type Foreseen } from './foresight';

const STILL_MS = 500;

export class Foresight {
  /** What is shown, and of which rule. */
  told = $state.raw<Foreseen>();
  of = $state('');
  scenarios = $state.raw<Scenario[]>([]);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How often it was asked; an answer that was overtaken is shown no more. */
  #asked = 0;
  #scenariosAsked = 0;
  #figures = new Map<string, Promise<Figure[]>>();

  /** Looks at a rule when it has not been changed for a moment; a rule that cannot be is said to be so when it is added. */
  look(request: Request): void {
    clearTimeout(this.#timer);
    if (session.may(CHECK)) this.#timer = setTimeout(() => this.ask(request).catch(() => {}), STILL_MS);
  }

  /** What it would do now; nothing if that may not be asked. */
  async ask({ input }: Request): Promise<Foreseen | undefined> {
    if (!session.may(CHECK)) return undefined;
    const of = JSON.stringify(input);
    const mine = (this.#asked += 1);
    const told = await carryOut<Foreseen>(CHECK, input);
    if (mine === this.#asked) [this.told, this.of] = [told, of];
    return told;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
  }

  async readScenarios(language: string): Promise<void> {
    const mine = (this.#scenariosAsked += 1);
    const told = await readScenarios(language);
    if (mine === this.#scenariosAsked) this.scenarios = told;
  }

  /** The numbers of a schema. */
  async figures(schema: string): Promise<Figure[]> {
    const known = this.#figures.get(schema);
    if (known) return known;
    const asked = readTemplate(schema).then((told) => figures(told.template.keys));
    this.#figures.set(schema, asked);
    asked.catch(() => this.#figures.delete(schema));
    return asked;
  }
}
