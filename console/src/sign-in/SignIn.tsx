import { Gate } from './Gate.tsx';
import { SignInForm } from './SignInForm.tsx';
import { SsoButton } from './SsoButton.tsx';
import './sign-in.css';

export default function SignIn() {
  return (
    <Gate>
      <div style={{ marginBottom: 20 }}>
        <h1>Sign in</h1>
        <p className="gate-lead">No password yet? Ask an administrator for a link.</p>
      </div>
      <SsoButton />
      <SignInForm />
    </Gate>
  );
}
