# Output lines and the request. Only Write-Line writes to standard output.

function New-LineWriter {
    [pscustomobject]@{
        Stream = [System.Console]::OpenStandardOutput()
        Hash   = [System.Security.Cryptography.SHA256]::Create()
        Lines  = 0
        Watch  = [System.Diagnostics.Stopwatch]::StartNew()
    }
}

# Bytes, because Windows PowerShell would use the OEM code page.
function Write-Line {
    param([Parameter(Mandatory = $true)][psobject]$Writer, [Parameter(Mandatory = $true)][string]$Json)
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Json + "`n")
    [void]$Writer.Hash.TransformBlock($bytes, 0, $bytes.Length, $null, 0)
    $Writer.Lines++
    $Writer.Stream.Write($bytes, 0, $bytes.Length)
    $Writer.Stream.Flush()
}

function Write-Message {
    param([Parameter(Mandatory = $true)][psobject]$Writer, [Parameter(Mandatory = $true)][object]$Message)
    Write-Line -Writer $Writer -Json (ConvertTo-JsonText -Value ([pscustomobject]$Message))
}

# The last line has the number of lines before it and their hash: exec can lose output and still report success.
function Write-End {
    param([Parameter(Mandatory = $true)][psobject]$Writer)
    [void]$Writer.Hash.TransformFinalBlock((New-Object -TypeName byte[] -ArgumentList 0), 0, 0)
    Write-Message -Writer ([pscustomobject]@{
            Stream = $Writer.Stream
            Hash   = [System.Security.Cryptography.SHA256]::Create()
            Lines  = 0
        }) -Message ([ordered]@{
            type   = 'end'
            ms     = $Writer.Watch.ElapsedMilliseconds
            lines  = $Writer.Lines
            sha256 = ConvertTo-Hex -Bytes $Writer.Hash.Hash
        })
}

function ConvertTo-Hex {
    param([Parameter(Mandatory = $true)][byte[]]$Bytes)
    [System.BitConverter]::ToString($Bytes).Replace('-', '').ToLowerInvariant()
}

function Get-Sha256 {
    param([Parameter(Mandatory = $true)][byte[]]$Bytes)
    $hash = [System.Security.Cryptography.SHA256]::Create()
    try { ConvertTo-Hex -Bytes $hash.ComputeHash($Bytes) } finally { $hash.Dispose() }
}

# One line, so that the client does not have to close its end. The wait is limited.
function Read-RequestLine {
    param([Parameter(Mandatory = $true)][int]$TimeoutMs)
    $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList ([System.Console]::OpenStandardInput()), ([System.Text.Encoding]::UTF8)
    $reading = $reader.ReadLineAsync()
    if (-not $reading.Wait($TimeoutMs)) {
        throw (New-HelperError -Kind Timeout -Message "No request came within $TimeoutMs ms.")
    }
    if ($null -eq $reading.Result) { throw (New-HelperError -Kind BadRequest -Message 'Standard input ended before a request came.') }
    $reading.Result
}

# Ends the process at its deadline, whatever hangs: a call to HNS cannot be interrupted, nor a write to a client that no longer
# reads.
function Start-Watchdog {
    param([Parameter(Mandatory = $true)][int]$Milliseconds)
    $watchdog = [System.Management.Automation.PowerShell]::Create()
    [void]$watchdog.AddScript({
            param([int]$Milliseconds)
            Start-Sleep -Milliseconds $Milliseconds
            [System.Diagnostics.Process]::GetCurrentProcess().Kill()
        }).AddArgument($Milliseconds)
    [void]$watchdog.BeginInvoke()
}
