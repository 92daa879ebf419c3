# Runs native programs with a time limit, and returns the exit code and both streams.

# Quoting for CommandLineToArgvW, where backslashes are special only before a quote.
function Join-NativeArgument {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][AllowEmptyCollection()][string[]]$Arguments)
    $quoted = foreach ($argument in $Arguments) {
        if ($argument -ne '' -and $argument -notmatch '[\s"]') {
            $argument
        } else {
            $text = $argument -replace '(\\*)"', '$1$1\"'
            $text = $text -replace '(\\+)$', '$1$1'
            '"' + $text + '"'
        }
    }
    [string]::Join(' ', @($quoted))
}

function Invoke-Native {
    param(
        [Parameter(Mandatory = $true)][string]$Path,
        [AllowEmptyCollection()][string[]]$Arguments = @(),
        [int]$TimeoutMs = 8000,
        [System.Text.Encoding]$Encoding
    )
    $start = New-Object -TypeName System.Diagnostics.ProcessStartInfo
    $start.FileName = $Path
    $start.Arguments = Join-NativeArgument -Arguments $Arguments
    $start.UseShellExecute = $false
    $start.CreateNoWindow = $true
    $start.RedirectStandardInput = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    if ($null -ne $Encoding) {
        $start.StandardOutputEncoding = $Encoding
        $start.StandardErrorEncoding = $Encoding
    }
    $process = New-Object -TypeName System.Diagnostics.Process
    $process.StartInfo = $start
    try {
        [void]$process.Start()
        $process.StandardInput.Close()
        # Both streams are read in parallel: otherwise a program that fills the other pipe would hang.
        $output = $process.StandardOutput.ReadToEndAsync()
        $errorOutput = $process.StandardError.ReadToEndAsync()
        if (-not $process.WaitForExit($TimeoutMs)) {
            Stop-ProcessTree -Process $process
            $name = Split-Path -Path $Path -Leaf
            throw (New-HelperError -Kind Timeout -Message "$name did not exit within $TimeoutMs ms.")
        }
        [pscustomobject]@{
            ExitCode = $process.ExitCode
            Output   = $output.Result
            Error    = $errorOutput.Result
        }
    } finally {
        $process.Dispose()
    }
}

# Like Invoke-Native, but an exit code other than 0 is an error with the output of the program.
function Invoke-NativeChecked {
    param(
        [Parameter(Mandatory = $true)][string]$Path,
        [AllowEmptyCollection()][string[]]$Arguments = @(),
        [int]$TimeoutMs = 8000,
        [System.Text.Encoding]$Encoding
    )
    $result = Invoke-Native @PSBoundParameters
    if ($result.ExitCode -ne 0) {
        $said = $result.Error.Trim()
        if ($said -eq '') { $said = $result.Output.Trim() }
        $name = Split-Path -Path $Path -Leaf
        throw (New-HelperError -Kind Failed -Message "$name failed with exit code $($result.ExitCode): $said")
    }
    $result.Output
}

function Stop-ProcessTree {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][System.Diagnostics.Process]$Process)
    if (-not $PSCmdlet.ShouldProcess("process $($Process.Id)", 'Stop')) { return }
    $taskkill = Get-SystemProgram -Name taskkill.exe
    if (Test-Path -LiteralPath $taskkill) {
        $killer = [System.Diagnostics.Process]::Start($taskkill, "/T /F /PID $($Process.Id)")
        [void]$killer.WaitForExit(5000)
    } elseif (-not $Process.HasExited) {
        $Process.Kill()
    }
}

# Always the full path: a HostProcess container may have no PATH, and a program on it must not replace one of Windows.
function Get-SystemProgram {
    param([Parameter(Mandatory = $true)][string]$Name)
    Join-Path -Path (Join-Path -Path $env:SystemRoot -ChildPath System32) -ChildPath $Name
}
