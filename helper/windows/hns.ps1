# The Host Networking Service, through HNSCall in vmcompute.dll: its refusal is an error. The in-box cmdlets only write
# theirs beside the result, and then look as if HNS held nothing.

function Get-HnsObject {
    param([Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind)
    $json = Invoke-HnsCall -Method GET -Path "/$Kind"
    # Assigned first: 5.1 sends a list through the pipeline as one object.
    $list = ConvertFrom-Json -InputObject $json
    # An empty list comes out of Invoke-HnsCall as null, and a pipeline would pass that on as one object.
    if ($null -ne $list) { $list }
}

# The answer of HNS as text, without its envelope: {"Success":true,"Output":...}, on Server 2019 the other way round.
function Invoke-HnsCall {
    param(
        [Parameter(Mandatory = $true)][ValidateSet('GET', 'POST', 'DELETE')][string]$Method,
        [Parameter(Mandatory = $true)][ValidatePattern('^/[a-z]+(/[0-9A-Fa-f-]{36})?\z')][string]$Path,
        [string]$Body = ''
    )
    $client = Get-HnsClient
    $answer = [string]$client.Call($Method, $Path, $Body)
    try { $envelope = ConvertFrom-Json -InputObject $answer } catch { $envelope = $null }
    if ($null -eq $envelope -or $null -eq $envelope.PSObject.Properties['Success']) {
        throw (New-HelperError -Kind Failed -Message "HNS did not answer $Method $Path with JSON.")
    }
    if (-not $envelope.Success) {
        $said = ([string](Get-Field -InputObject $envelope -Name Error)).Trim()
        $code = Get-Field -InputObject $envelope -Name ErrorCode
        if ($null -ne $code) { $said = '{0} (0x{1:X8})' -f $said, [long]$code }
        throw (New-HelperError -Kind Failed -Message "HNS refused $Method ${Path}: $said")
    }
    if ($null -eq (Get-Field -InputObject $envelope -Name Output)) { return 'null' }
    # Cut out of the text: 5.1 would not write every number as it was. Only where there is nothing else to cut away.
    if (@($envelope.PSObject.Properties).Count -eq 2 -and
        ($answer -match '(?s)^\s*\{\s*"Success"\s*:\s*true\s*,\s*"Output"\s*:\s*(?<output>.*\S)\s*\}\s*$' -or
        $answer -match '(?s)^\s*\{\s*"Output"\s*:\s*(?<output>.*\S)\s*,\s*"Success"\s*:\s*true\s*\}\s*$')) {
        return $Matches['output']
    }
    ConvertTo-JsonText -Value $envelope.Output
}

function Get-HnsClient {
    if (-not (Test-Path -LiteralPath (Get-SystemProgram -Name vmcompute.dll))) {
        throw (New-HelperError -Kind NotInstalled -Message 'vmcompute.dll was not found: the Containers feature is not installed.')
    }
    # Sections run side by side, and the class can be made only once.
    $mutex = New-Object -TypeName System.Threading.Mutex -ArgumentList $false, "kubectl-win-hns-$PID"
    [void]$mutex.WaitOne()
    try {
        if ($null -eq ('KubectlWin.HnsClient' -as [type])) {
            Add-Type -TypeDefinition @'
using System.Runtime.InteropServices;

namespace KubectlWin
{
    public sealed class HnsClient
    {
        [DllImport("vmcompute.dll", ExactSpelling = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        private static extern int HNSCall(
            [MarshalAs(UnmanagedType.LPWStr)] string method,
            [MarshalAs(UnmanagedType.LPWStr)] string path,
            [MarshalAs(UnmanagedType.LPWStr)] string body,
            [MarshalAs(UnmanagedType.LPWStr)] out string answer);

        public string Call(string method, string path, string body)
        {
            string answer;
            int code = HNSCall(method, path, body, out answer);
            if (string.IsNullOrEmpty(answer)) Marshal.ThrowExceptionForHR(code);
            return answer ?? "";
        }
    }
}
'@
        }
    } finally {
        $mutex.ReleaseMutex()
        $mutex.Dispose()
    }
    New-Object -TypeName KubectlWin.HnsClient
}

function Remove-HnsObject {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind,
        [Parameter(Mandatory = $true)][string]$Id
    )
    if (-not $PSCmdlet.ShouldProcess("/$Kind/$Id", 'Remove')) { return }
    [void](Invoke-HnsCall -Method DELETE -Path "/$Kind/$Id")
}

function New-HnsObject {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind,
        [Parameter(Mandatory = $true)][object]$Definition
    )
    if (-not $PSCmdlet.ShouldProcess("/$Kind", 'Create')) { return }
    [void](Invoke-HnsCall -Method POST -Path "/$Kind" -Body (ConvertTo-JsonText -Value $Definition))
}
