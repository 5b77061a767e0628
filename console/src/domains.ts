// The domains of agents, or of what they ask for. Pure.

/** Each domain once, in the order of its letters; what is of none has none. */
export function domains(all: Iterable<{ domain?: string }>): string[] {
  const found = [...all].flatMap((it) => it.domain || []);
  return [...new Set(found)].sort((a, b) => a.localeCompare(b));
}
