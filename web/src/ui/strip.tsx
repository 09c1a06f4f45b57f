// Cause to effect, counts only: 1 store → 63 ExternalSecrets → … → 67 apps.
export interface Step {
  n: number;
  label: string;
  href?: string;
  title?: string;
}

export function Strip({ steps }: { steps: Step[] }) {
  return (
    <ol class="strip" aria-label="Cause to effect">
      {steps.map((step, i) => (
        <li key={i}>
          <span class="n">{step.n.toLocaleString("en-GB")}</span>
          <span class="k" title={[step.label, step.title].filter(Boolean).join(", ")}>
            {step.href ? <a href={step.href}>{step.label}</a> : step.label}
          </span>
        </li>
      ))}
    </ol>
  );
}
