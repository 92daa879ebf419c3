# The Host Networking Service, through HNSCall in vmcompute.dll, which returns errors. The built-in cmdlets write an error and
# return nothing, as if HNS had no objects (microsoft/SDN hns.psm1).

function Get-HnsObject {
    param([Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind)
    $json = Invoke-HnsCall -Method GET -Path "/$Kind"
    # Assigned first, because 5.1 returns a list as one object in a pipeline.
    $list = ConvertFrom-Json -InputObject $json
    # Invoke-HnsCall returns null for an empty list, and a pipeline would pass it on as one object.
    if ($null -ne $list) { $list }
}

# The output of HNS as text. The answer is {"Success":true,"Output":...}, on Server 2019 in the other order (microsoft/SDN#371).
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
    # Taken from the text, because 5.1 does not preserve every number. Only if the answer has no other properties.
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
    # Sections run in parallel, and the class can be defined only once.
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
